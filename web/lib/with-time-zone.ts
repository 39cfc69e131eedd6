import { ApiProblem } from './api.ts'
import { browserTimeZone } from './format.ts'

/**
 * Sends the request with the time zone of the browser. If the server doesn't know that zone, sends the request again
 * without it, so that the server uses its default.
 */
export async function withTimeZone<T>(send: (body: object) => Promise<T>, body: object): Promise<T> {
  try {
    return await send({ ...body, time_zone: browserTimeZone })
  } catch (problem) {
    if (problem instanceof ApiProblem && 'time_zone' in problem.errors) return send(body)
    throw problem
  }
}
