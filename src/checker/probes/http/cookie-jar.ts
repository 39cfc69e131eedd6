/**
 * The cookies that responses set along the redirects of one check (RFC 6265). Without them, a site that sets a cookie and
 * redirects to itself would redirect for ever. A jar never outlives its check.
 */
import { type Cookie, CookieJar as StandardCookieJar } from 'tough-cookie'

const MAX_COOKIES = 50
const MAX_COOKIE_LENGTH = 4_096
// biome-ignore lint/suspicious/noControlCharactersInRegex: Node refuses to send control characters, except tabs
const unsendablePattern = /^[^;]*[\x00-\x08\x0a-\x1f\x7f]/

export class CookieJar {
  #jar = new StandardCookieJar(undefined, { allowSecureOnLocal: false })
  /**
   * Expiry times in milliseconds since 1970. They are kept here because the library compares expiry times with the
   * system's clock, and extends `Max-Age` with every read.
   */
  #expiryTimes = new WeakMap<Cookie, number>()

  /** Stores the `Set-Cookie` headers of a response to `url`. `now` is in milliseconds since 1970. */
  add(setCookieHeaders: readonly string[], url: URL, now: number): void {
    const options = { now: new Date(now), ignoreError: true }
    for (const header of setCookieHeaders.slice(0, MAX_COOKIES)) {
      if (header.length > MAX_COOKIE_LENGTH || unsendablePattern.test(header)) continue
      const cookie = this.#jar.setCookieSync(header, url.href, options)
      if (cookie !== undefined) this.#expiryTimes.set(cookie, cookie.expiryTime() ?? Number.POSITIVE_INFINITY)
    }
  }

  /** Returns the cookies to send to `url`. Those with the longest path come first. */
  list(url: URL, now: number): { name: string; value: string }[] {
    return this.#jar
      .getCookiesSync(url.href, { expire: false, sort: true })
      .filter((cookie) => (this.#expiryTimes.get(cookie) ?? 0) > now)
      .slice(0, MAX_COOKIES)
      .map(({ key, value }) => ({ name: key, value }))
  }
}
