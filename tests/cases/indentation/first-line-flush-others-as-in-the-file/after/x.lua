describe("a", function()
    it("one", function()
      local p = new(1)
      p.home = 3
      same(p)
    end)

    it("two", function()
      local p = new(1)
      p.home = 2
      same(p)
    end)
end)
