class A
    def one
        watch(List.for(self,
          :x
        ))
        result
    end
end
