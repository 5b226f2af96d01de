/*
<<<<<<< SEARCH
x = 1
=======
x = 2
>>>>>>> REPLACE
*/
select 1;
