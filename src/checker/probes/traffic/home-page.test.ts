import { describe, expect, it } from 'vitest'
import { hasTracker } from './home-page.ts'

describe('the tracker', () => {
  it.each([
    ['our snippet', '<script defer data-domain="example.com" src="https://stats.example.com/b.js"></script>'],
    ['our script without quotes', '<script src=https://stats.example.com/prefix/b.js async></script>'],
    ['a call of the function of the tracker', '<script>belfry("Signup")</script>'],
    [
      "Plausible's snippet",
      '<script defer data-domain="example.com" src="https://plausible.io/js/script.js"></script>',
    ],
    ["Plausible's newer snippet", '<script>plausible.init()</script>'],
    ['a request to the collector', '<script>fetch("https://stats.example.com/api/event")</script>'],
    ['a tag manager', '<script>j.src="https://www.googletagmanager.com/gtm.js?id="+i</script>'],
  ])('is found in a page with %s', (_case, html) => {
    expect(hasTracker(`<!doctype html><head>${html}</head>`)).toBe(true)
  })

  it.each([
    ['nothing', '<p>Hello</p>'],
    ['a snippet in a comment', '<!-- <script data-domain="example.com" src="/b.js"></script> -->'],
    [
      'a snippet in a comment without an end',
      '<p>Hello</p><!-- <script data-domain="example.com" src="/b.js"></script>',
    ],
    ['another script with a similar name', '<script src="/lib.js"></script><script src="/b.json"></script>'],
    ['the word "plausible" in a sentence', '<p>This is plausible.</p>'],
  ])('is not found in a page with %s', (_case, html) => {
    expect(hasTracker(html)).toBe(false)
  })

  it('is searched for quickly, even in a page that is made to slow the search', () => {
    for (const part of ['<!--', 'src=', 'src="/', 'container_', '<script src=', 'plausible  ', 'data-domain  ']) {
      const startedAt = performance.now()
      hasTracker(part.repeat(1_000_000 / part.length))
      expect(performance.now() - startedAt).toBeLessThan(5_000)
    }
  })
})
