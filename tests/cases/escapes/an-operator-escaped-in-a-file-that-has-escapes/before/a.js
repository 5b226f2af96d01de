const s = '&lt;';
run(s);
