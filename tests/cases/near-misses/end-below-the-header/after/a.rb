describe 'a' do
  def foo
    'foo'
    bar
  end

end

describe 'b' do
  go

end
