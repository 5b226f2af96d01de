const s = 'a -&gt; b';
run(s);
