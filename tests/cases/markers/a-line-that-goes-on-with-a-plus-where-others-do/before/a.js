const s = 'a'
+ 'b'
;
