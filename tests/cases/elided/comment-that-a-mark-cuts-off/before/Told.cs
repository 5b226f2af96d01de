namespace A;

/// <summary>
/// Told when time is up.
/// </summary>
/// <param name="Context">The context.</param>
/// <param name="Timeout">The time.</param>
/// <remarks>
/// Use the constructor.
/// </remarks>
public readonly record struct Told(Context Context, TimeSpan Timeout);
