/** Requests that are sent before the component which needs them is rendered. */
const responses = new Map<string, Promise<Response>>()

export function prefetch(path: string): void {
  const response = fetch(new URL(path, document.baseURI), { headers: { accept: 'application/json' } })
  // The component that uses the response handles a failure.
  response.catch(() => {})
  responses.set(path, response)
}

/** Returns the response at most once, because a later request wants newer data. */
export function takePrefetched(path: string): Promise<Response> | undefined {
  const response = responses.get(path)
  responses.delete(path)
  return response
}
