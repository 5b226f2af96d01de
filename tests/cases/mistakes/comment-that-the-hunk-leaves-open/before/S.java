enum S {
    /**
     * Longs and elements
     * that are long.
     */
    LONG,
    /**
     * Doubles and
     */
    DOUBLE
}
