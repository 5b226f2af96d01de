f('say \"hi\"');
