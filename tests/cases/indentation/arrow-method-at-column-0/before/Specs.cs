class BulkheadSpecs : Specs
{
    public override Task Run(IPolicy policy, Action action) =>
        action.Run<Result>((Policy<Result>)policy);

    public int Count => 1;
}
