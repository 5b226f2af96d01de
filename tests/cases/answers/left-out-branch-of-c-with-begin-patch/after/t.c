#if 0
*** Begin Patch
*** Update File: a.py
@@
-x = 1
+x = 2
*** End Patch
#endif
int x;
