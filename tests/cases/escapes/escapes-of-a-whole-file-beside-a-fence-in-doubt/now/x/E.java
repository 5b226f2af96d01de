  private static boolean isStatic(Class<?> clazz) {
    return true;
  }
