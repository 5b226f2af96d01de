package shop;

/** A price list. */
@SuppressWarnings("unused")
public class Prices {
    private int base = 10;

    /** By id. */
    @Deprecated
    public int of(int id) {
        String s = "}";
        return base + id;
    }

    public int of(String id) {
        String t = """
            { "id": "}" }
            """;
        return base + t.length();
    }

    enum Mode {
        FAST { int cost() { return 1; } },
        SLOW;

        int cost() { return 2; }
    }

    static class Cache {
        int hits;

        void hit() {
            hits++;
        }
    }
}
