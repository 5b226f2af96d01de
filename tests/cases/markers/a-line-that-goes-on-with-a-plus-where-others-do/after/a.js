const s = 'a'
+ 'b'
+ 'c'
;
