describe 'options' do
  it 'is enabled' do
    set :env
    assert base
    assert default
  end
end
