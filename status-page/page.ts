/**
 * The script of status pages, which also work without it. It shows times in the visitor's language and time zone,
 * details of the daily bars, and newer versions of the page. It is part of every page, so it must stay small.
 * `tests/browser/status-page.test.ts` limits its size.
 */
const REFRESH_MS = 15_000
const LAST_DAY = 89
const DAYS = LAST_DAY + 1

// The minifier doesn't shorten the names of globals, so this script gives them short names.
const page = document
const listen = addEventListener
const { floor, max, min, round } = Math

const find = <E extends HTMLElement>(selector: string, root: ParentNode = page) => root.querySelector<E>(selector)
const findAll = <E extends HTMLElement>(selector: string) => page.querySelectorAll<E>(selector)
const createBox = (className: string) => Object.assign(page.createElement('div'), { className })
const createDateFormat = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(undefined, options)

const dateStyle = 'medium'
const timeStyle = 'short'
// A bar stands for a day in the page's time zone. UTC keeps that date, whatever time zone the visitor has.
const dayFormat = createDateFormat({ dateStyle, timeZone: 'UTC' })
const clockFormat = createDateFormat({ timeStyle })
const momentFormat = createDateFormat({ dateStyle, timeStyle })
const visitorZone = momentFormat.resolvedOptions().timeZone

/** Uses at most two units: "45 seconds", "14 minutes", "2 hours 5 minutes", "1 day". */
function describeDuration(seconds: number): string {
  const minutes = floor(seconds / 60)
  const parts: [number, string][] =
    minutes < 1
      ? [[floor(seconds), 'second']]
      : [
          [floor(minutes / 1_440), 'day'],
          [floor(minutes / 60) % 24, 'hour'],
          [minutes % 60, 'minute'],
        ]
  return parts
    .filter(([count]) => count)
    .slice(0, 2)
    .map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`)
    .join(' ')
}

function formatTime({ dateTime, dataset: { ago, day } }: HTMLTimeElement): string {
  const date = new Date(dateTime)
  if (dateTime.length < 11) return dayFormat.format(date)
  if (ago !== undefined) {
    const seconds = (Date.now() - +date) / 1_000
    return seconds < 60 ? 'just now' : `${describeDuration(seconds)} ago`
  }
  // The Swedish locale formats a date as 2026-11-16, like `day`. If the heading above has the same date, only the time
  // is shown.
  return (date.toLocaleDateString('sv') === day ? clockFormat : momentFormat).format(date)
}

function showTimes(): void {
  for (const time of findAll<HTMLTimeElement>('time')) {
    const text = formatTime(time)
    // Writing the same text again would end the visitor's selection.
    if (time.textContent !== text) time.textContent = text
  }
}

/**
 * Returns "12 Nov 2026: down 14 minutes, 99.03% uptime". `data-days` of the bars has the format of `days` in the API's
 * overview.
 */
function describeDay(bars: HTMLElement, day: number): string {
  const firstDay = find('#groups')?.dataset['firstDay']
  const days = bars.dataset['days'] ?? ''
  const date = dayFormat.format(Date.parse(`${firstDay}`) + day * 86_400_000)
  const [, downSeconds, monitoredSeconds = 86_400] = RegExp(`[;,]${day}:(\\d+):\\d+:?(\\d+)?`).exec(days) ?? []
  const isActive = days
    .split(/[;,]/)
    .map((run) => run.split('-').map(Number))
    .some(([first = 0, last = -1]) => first <= day && day <= last)
  if (!downSeconds) return `${date}: ${isActive ? 'no downtime' : 'not monitored'}`
  // Rounded like the percentages of the server: to three decimals, then down to two, and never 100%.
  const upShare = 1 - +downSeconds / +monitoredSeconds
  const uptime = (min(9_999, floor(round(upShare * 1e5) / 10)) / 1e4).toLocaleString(undefined, {
    style: 'percent',
    minimumFractionDigits: 2,
  })
  // The server sends 0 monitored seconds if the monitor is too young for percentages.
  return `${date}: down ${describeDuration(+downSeconds)}${+monitoredSeconds ? `, ${uptime} uptime` : ''}`
}

const tooltip = createBox('tooltip')
const marker = createBox('marker')
// The tooltip repeats the text that screen readers get from the bars.
tooltip.ariaHidden = 'true'
/** The bars and the day that the tooltip is about. */
let shownBars: HTMLElement | undefined
let shownDay = LAST_DAY

/**
 * Returns the rectangle of the drawn bars. On narrow screens, the drawing is wider than its frame, which shows only the
 * last 30 or 60 days.
 */
const drawingOf = (bars: Element) => (bars.firstElementChild as Element).getBoundingClientRect()

function selectDay(bars: HTMLElement, day: number): void {
  bars.ariaValueNow = `${day}`
  bars.ariaValueText = describeDay(bars, day)
}

function showDay(bars: HTMLElement, day: number): void {
  const { left, top, width } = drawingOf(bars)
  const step = width / DAYS
  const frameLeft = bars.getBoundingClientRect().left
  shownBars = bars
  shownDay = min(LAST_DAY, max(round((frameLeft - left) / step), day))
  selectDay(bars, shownDay)
  // The date gets its own line.
  tooltip.textContent = `${bars.ariaValueText}`.replace(/: ./, (text) => `\n${text.slice(2).toUpperCase()}`)
  page.body.append(tooltip)
  bars.append(marker)
  const dayLeft = left + shownDay * step
  const maxLeft = innerWidth - tooltip.offsetWidth
  tooltip.style.left = `${max(0, min(maxLeft, dayLeft - tooltip.offsetWidth / 2))}px`
  tooltip.style.top = `${top + scrollY}px`
  marker.style.left = `${dayLeft - frameLeft}px`
  marker.style.width = `${step * 0.7}px`
}

function hideDay(): void {
  tooltip.remove()
  marker.remove()
  shownBars = undefined
}

/**
 * Lets the Tab key reach the bars, and screen readers read one day after the other. Runs again after every update of
 * the page.
 */
function prepareBars(): void {
  for (const bars of findAll('.bars')) {
    Object.assign(bars, {
      role: 'slider',
      tabIndex: 0,
      ariaLabel: `${find('h3', bars.parentElement as Element)?.textContent}, uptime by day`,
      // The default of ariaValueMin is 0.
      ariaValueMax: `${LAST_DAY}`,
    })
    selectDay(bars, LAST_DAY)
  }
}

const barsOf = (target: EventTarget | null) => (target as Element).closest?.<HTMLElement>('.bars')

function followPointer({ target, clientX }: PointerEvent): void {
  const bars = barsOf(target)
  if (bars) {
    const { left, width } = drawingOf(bars)
    showDay(bars, floor(((clientX - left) / width) * DAYS))
  } else if (shownBars !== page.activeElement) hideDay()
}
listen('pointermove', followPointer)
listen('pointerdown', followPointer)
listen('focusin', ({ target }) => {
  const bars = barsOf(target)
  // If a pointer has already chosen a day of these bars, keep that day.
  if (bars && bars !== shownBars) showDay(bars, LAST_DAY)
})
listen('focusout', hideDay)
listen('keydown', (event) => {
  const bars = barsOf(event.target)
  // Read the day from the focused bars, because the pointer may have set `shownDay` for other bars.
  const current = Number(bars?.ariaValueNow)
  const days: Record<string, number> = {
    ArrowLeft: current - 1,
    ArrowDown: current - 1,
    ArrowRight: current + 1,
    ArrowUp: current + 1,
    Home: 0,
    End: LAST_DAY,
  }
  const day = days[event.key]
  if (event.key === 'Escape') hideDay()
  // With a modifier, the keys belong to the browser: Alt+Left or, on a Mac, Command+Left goes back.
  else if (bars && day !== undefined && !event.altKey && !event.metaKey) {
    event.preventDefault()
    showDay(bars, day)
  }
})

/**
 * Changes the page so that it equals a newer version. `before` and `after` are two versions from the server. Only their
 * differences are applied, so everything that the visitor has changed stays: the focus, typed text, open and closed
 * parts, and times in their language.
 */
function update(live: ChildNode, before: Node, after: Node): void {
  if (before.isEqualNode(after)) return
  const [element, oldElement, newElement] = [live, before, after] as Element[] as [Element, Element, Element]
  if (
    !newElement.tagName ||
    oldElement.tagName !== newElement.tagName ||
    oldElement.id !== newElement.id ||
    before.childNodes.length !== after.childNodes.length
  ) {
    live.replaceWith(page.importNode(after, true))
    return
  }
  for (const { name, value } of newElement.attributes) {
    if (oldElement.getAttribute(name) !== value) element.setAttribute(name, value)
  }
  for (const { name } of oldElement.attributes) if (!newElement.hasAttribute(name)) element.removeAttribute(name)
  const liveNodes = [...live.childNodes]
  after.childNodes.forEach((node, index) => {
    update(liveNodes[index] as ChildNode, before.childNodes[index] as Node, node)
  })
}

const main = find('main') as HTMLElement
let sentMain = main.cloneNode(true)
let etag = ''

async function refresh(): Promise<void> {
  const response = await fetch('', { cache: 'no-store', headers: { 'if-none-match': etag } })
  if (response.status === 304) return
  const newPage = new DOMParser().parseFromString(await response.text(), 'text/html')
  const newMain = find('main:has(#groups)', newPage)
  if (!newMain) {
    // Status 429 and server errors are temporary. Otherwise the page itself has changed: it may have a password now,
    // for example.
    if (response.status < 429) location.reload()
    throw new Error()
  }
  etag = response.headers.get('etag') ?? ''
  const focusedBars = barsOf(page.activeElement)
  const monitorId = focusedBars?.parentElement?.id
  update(main, sentMain, newMain)
  sentMain = newMain
  page.title = newPage.title
  find('[rel=icon]')?.replaceWith(find('[rel=icon]', newPage) as Element)
  prepareBars()
  // If the update has replaced the focused bars, focus the new bars of the same monitor.
  if (!focusedBars?.isConnected) find(`#${monitorId} .bars`)?.focus()
  if (shownBars?.isConnected) showDay(shownBars, shownDay)
  else hideDay()
}

const connectionNote = createBox('connection')
connectionNote.role = 'status'

async function refreshIfVisible(): Promise<void> {
  if (page.hidden) return
  let note = ''
  await refresh().catch(() => {
    note = 'Connection lost. Data may be out of date; retrying…'
  })
  if (connectionNote.textContent !== note) connectionNote.textContent = note
  showTimes()
}

prepareBars()
showTimes()
page.body.append(connectionNote)
const zoneNote = find('#zone')
const barZone = zoneNote?.dataset['zone']
if (zoneNote && barZone !== visitorZone) {
  zoneNote.textContent = `Times are in ${visitorZone}, days in ${barZone}.`
}
if ('live' in page.body.dataset) {
  setInterval(refreshIfVisible, REFRESH_MS)
  listen('visibilitychange', refreshIfVisible)
}
