describe 'a' do
  def foo
    'foo'
  end

end

describe 'b' do
  go

end
