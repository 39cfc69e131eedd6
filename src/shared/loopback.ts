/** Whether a URL with this hostname leads only to programs on the same computer. */
export function isLoopbackHostname(hostname: string): boolean {
  return /^(localhost|.*\.localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}
