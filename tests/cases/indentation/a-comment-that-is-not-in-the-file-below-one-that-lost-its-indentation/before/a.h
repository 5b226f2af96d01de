#endif
#if X >= 1
      // A
