# frozen_string_literal: true
class A
end
