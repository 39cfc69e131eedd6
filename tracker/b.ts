/**
 * The tracker that websites include in their pages. docs/websites.md describes what it sends and when. It stores nothing in the
 * browser. Every visitor loads it, so size matters more than style: `npm run build:tracker` builds b.js, which a test limits to
 * 1,000 bytes gzipped.
 */

// Some routers run the scripts of a page again. A second tracker would count everything twice, so start only if none is running.
// A running tracker's `belfry` function has parameters, so its `length` isn't 0. The function in the snippet, which queues calls
// until the tracker has loaded, has none.
if (!self.belfry?.length) {
  // In a module, document.currentScript is null.
  const script = (document.currentScript || document.querySelector('script[data-domain]')) as HTMLScriptElement
  const waitingCalls = self.belfry?.q || []
  let domain: string | undefined
  let api: string | URL | undefined
  let hash: string | undefined

  try {
    ;({ domain = location.hostname, api = new URL('api/event', script.src), hash } = script.dataset)
    // Local files have no host, and their events are not sent. If the browser blocks localStorage, reading it throws,
    // and the events are sent: this visitor can't have stored belfry_ignore.
    if (
      (navigator.doNotTrack || self.doNotTrack) === '1' ||
      navigator.globalPrivacyControl ||
      !location.host ||
      localStorage['belfry_ignore'] === 'true'
    )
      api = ''
  } catch {}

  /** 1 if the script has data-hash. Otherwise the part of the URL after the # is not sent. */
  const hashFlag = hash == null ? undefined : 1
  const getUrl = () => location.href.replace(hashFlag ? '' : /#.*/, '')

  /** The URL when the page was last visible, to detect changes. */
  let lastUrl: string | undefined
  /** The last counted page, and the page before it. */
  let page: string | undefined
  let referrer: string | null
  /** Milliseconds for which the page was visible and focused, and which are not sent yet. */
  let engagedMs = 0
  /** When the page became visible and focused. 0 while it is hidden or not focused. */
  let engagedSince = 0

  const send = async (name: string, options?: BelfryOptions | null) => {
    let response: unknown
    try {
      // Events that occur before the page is visible wait until its page view is sent.
      if (!page) return waitingCalls.push([name, options])
      const body = JSON.stringify({
        n: name,
        u: page,
        d: domain,
        r: referrer,
        s: `${screen.width}x${screen.height}`,
        p: options?.props,
        i: options?.interactive,
        e: options?.e,
        h: hashFlag,
        b: navigator.webdriver ? 1 : undefined,
      })
      // A text body needs no CORS preflight. With keepalive, the request survives leaving the page.
      response =
        api &&
        (await ('keepalive' in Request.prototype
          ? fetch(api, { method: 'POST', body, keepalive: true })
          : navigator.sendBeacon(api, body)))
    } catch {}
    options?.callback?.(response)
  }

  type PageEvent = PageTransitionEvent & MouseEvent
  const onPageEvent = (event: PageEvent) => {
    const now = Date.now()
    // A prerendered page reports itself as visible shortly before it is shown.
    const isHidden = document.hidden || document.prerendering
    const isView = !isHidden && (event.persisted || lastUrl !== getUrl())

    engagedMs += engagedSince && now - engagedSince
    engagedSince = !isHidden && document.hasFocus() ? now : 0
    if (isHidden || isView) {
      if (engagedMs > 999) send('engagement', { e: engagedMs })
      engagedMs = 0
    }
    if (isView) {
      referrer = page || document.referrer || null
      page = lastUrl = getUrl()
      send('pageview')
      while (waitingCalls[0]) send(...(waitingCalls.shift() as BelfryCall))
    }
    // The code in this block throws for every event that is not a click on a link.
    try {
      // In SVG, href is an object with an unresolved URL.
      const { href } = (event.target as Element).closest('a') as unknown as {
        href: string & Partial<SVGAnimatedString>
      }
      const url = new URL(href.baseVal ?? href, lastUrl)
      const downloadPattern = /\.(7z|csv|dmg|exe|gz|mp[34]|pdf|pkg|rar|txt|zip|(doc|ppt|xls)x?)$/i
      const name =
        url.host === location.host
          ? downloadPattern.test(url.pathname) && 'File Download'
          : // Schemes such as mailto: have no host.
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
    // The listener runs in the capture phase, so that the page can't stop the event first.
    addEventListener(name, onPageEvent as (event: Event) => void, true)
    const changeState = history[name as 'pushState']
    if (changeState)
      history[name as 'pushState'] = (...args) => {
        const path = location.pathname
        changeState.call(history, ...args)
        // replaceState (`name > 'q'`) with the same path is not a new page: the site only cleaned up its query.
        if (name > 'q' && path === location.pathname) lastUrl &&= getUrl()
        onPageEvent({} as PageEvent)
      }
  }

  self.belfry = send
  onPageEvent({} as PageEvent)
}
