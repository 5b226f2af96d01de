namespace A;

/// <summary>
/// Told when time is up.
/// </summary>
/// <param name="Context">The context.</param>
/// <param name="Timeout">The time.</param>
public record Told(Context Context, TimeSpan Timeout);
