describe 'options' do
  %w[a b].each do |name|
    it name do
      set name
    end
  end

  it 'is enabled' do
    set :env
    assert default
  end
end
