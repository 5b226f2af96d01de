class A
    def one
        watch(:x)
        result
    end

    def two
        stop(:x)
        result
    end
end
