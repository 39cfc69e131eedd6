/**
 * Returns the URL that people on this machine open. It has the host `localhost`, like all examples in the documentation:
 * browsers keep the session of `localhost` and that of `127.0.0.1` apart, so one host must be used everywhere. Browsers and
 * curl try IPv4 and IPv6 for `localhost`, so it also works if the server listens on 127.0.0.1 only.
 */
export function toLocalUrl(address: string): string {
  return address.replace(/^http:\/\/(?:127\.0\.0\.1|0\.0\.0\.0|\[::\])(?=:|$)/, 'http://localhost')
}
