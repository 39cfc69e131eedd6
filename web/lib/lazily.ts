/**
 * Creates a value on first use. Creating some values, such as Intl formats, takes milliseconds, which would delay the
 * first paint.
 */
export function lazily<T>(create: () => T): () => T {
  let value: T | undefined
  return () => (value ??= create())
}
