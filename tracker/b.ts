/**
 * The tracker: what a website puts on its pages. docs/websites.md says what it sends and when; it keeps nothing in the browser.
 * Every visitor loads every byte, so small goes before pretty: b.js, made of it by `npm run build:tracker`, is held to 1,000 bytes.
 */

// Some routers run a page's scripts again, and everything would count twice. Ours takes arguments; what stood in for it takes none.
if (!self.belfry?.length) {
  // A module is not the current script.
  const script = (document.currentScript || document.querySelector('script[data-domain]')) as HTMLScriptElement
  const waiting = self.belfry?.q || []
  let domain: string | undefined
  let api: string | URL | undefined
  let hash: string | undefined

  try {
    ;({ domain = location.hostname, api = new URL('api/event', script.src), hash } = script.dataset)
    // A file has no host. Looking at storage throws where it is blocked, and then nobody can have asked to be left out.
    if (
      (navigator.doNotTrack || self.doNotTrack) === '1' ||
      navigator.globalPrivacyControl ||
      !location.host ||
      localStorage['belfry_ignore'] === 'true'
    )
      api = ''
  } catch {}

  /** Without data-hash what follows the # stays in the browser. */
  const isHashed = hash == null ? undefined : 1
  const here = () => location.href.replace(isHashed ? '' : /#.*/, '')

  /** Where the address bar stood when somebody last saw it. */
  let place: string | undefined
  /** The page that was counted last, and the one before it. */
  let page: string | undefined
  let referrer: string | null
  /** Milliseconds that somebody looked at the page, as far as they are not sent; and since when somebody looks. */
  let engaged = 0
  let since = 0

  const send = async (name: string, options?: BelfryOptions | null) => {
    let answer: unknown
    try {
      // What happens before anybody sees the page waits for its page view.
      if (!page) return waiting.push([name, options])
      const body = JSON.stringify({
        n: name,
        u: page,
        d: domain,
        r: referrer,
        s: `${screen.width}x${screen.height}`,
        p: options?.props,
        i: options?.interactive,
        e: options?.e,
        h: isHashed,
        b: navigator.webdriver ? 1 : undefined,
      })
      // As text it needs no preflight. Without keepalive it would end with its page.
      answer =
        api &&
        (await ('keepalive' in Request.prototype
          ? fetch(api, { method: 'POST', body, keepalive: true })
          : navigator.sendBeacon(api, body)))
    } catch {}
    options?.callback?.(answer)
  }

  type Seen = PageTransitionEvent & MouseEvent
  const watch = (event: Seen) => {
    const now = Date.now()
    // A page made ready beforehand is visible for a moment before it is shown.
    const isHidden = document.hidden || document.prerendering
    const isView = !isHidden && (event.persisted || place !== here())

    engaged += since && now - since
    since = !isHidden && document.hasFocus() ? now : 0
    if (isHidden || isView) {
      if (engaged > 999) send('engagement', { e: engaged })
      engaged = 0
    }
    if (isView) {
      referrer = page || document.referrer || null
      page = place = here()
      send('pageview')
      while (waiting[0]) send(...(waiting.shift() as BelfryCall))
    }
    // What is no click on a link fails here.
    try {
      // In a drawing a link's address is an object, and not resolved.
      const { href } = (event.target as Element).closest('a') as unknown as {
        href: string & Partial<SVGAnimatedString>
      }
      const url = new URL(href.baseVal ?? href, place)
      const files = /\.(7z|csv|dmg|exe|gz|mp[34]|pdf|pkg|rar|txt|zip|(doc|ppt|xls)x?)$/i
      const name =
        url.host === location.host
          ? files.test(url.pathname) && 'File Download'
          : // mailto: and the like have none.
            url.host && 'Outbound Link: Click'
      if (name && event.button < 2) send(name, { props: { url: url.href } })
    } catch {}
  }

  for (const name of [
    'pushState',
    'replaceState',
    'visibilitychange',
    'prerenderingchange',
    'focus',
    'blur',
    'pageshow',
    'popstate',
    'click',
    'auxclick',
  ]) {
    // On the way down, where nobody can stop them.
    addEventListener(name, watch as (event: Event) => void, true)
    const change = history[name as 'pushState']
    if (change)
      history[name as 'pushState'] = (...args) => {
        const path = location.pathname
        change.call(history, ...args)
        // Another query in the same entry of the history is no other page: somebody tidied up.
        if (name > 'q' && path === location.pathname) place &&= here()
        watch({} as Seen)
      }
  }

  self.belfry = send
  watch({} as Seen)
}
