# frozen_string_literal: true
require 'a'
class A
end
