/** Addresses as people read and search them: `/caf%C3%A9` is `/café`. */

/** Only letters, digits and signs come out of their escapes: nothing that divides an address, and nothing invisible. */
const VISIBLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S}]+$/u

export function readable(address: string): string {
  if (!/%[89a-f]/i.test(address)) return address
  return address.replace(/(?:%[89a-f][\da-f])+/gi, (escapes) => {
    // As URLSearchParams reads it, because decodeURIComponent throws, which takes 10 µs.
    const text = new URLSearchParams(`=${escapes}`).get('') ?? ''
    return VISIBLE.test(text) && !text.includes('\ufffd') ? text : escapes
  })
}
