/** Creates a value on first use. Some, such as Intl formats, take milliseconds that would delay the first paint. */
export function lazily<T>(create: () => T): () => T {
  let value: T | undefined
  return () => (value ??= create())
}
