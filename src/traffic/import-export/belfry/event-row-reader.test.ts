import { describe, expect, it } from 'vitest'
import { EventRowReader, VisitorMasks } from './event-row-reader.ts'

const columns = ['time', 'kind', 'visitor', 'page', 'event', 'props', 'engaged_ms', 'passive', 'day', 'hour']
const time = '2026-01-05T10:00:00.000Z'

const createReader = (header: string[]) =>
  new EventRowReader({
    fileName: 'a.csv',
    header,
    websiteId: 7,
    domain: 'example.com',
    timeZone: 'Asia/Kolkata',
    now: Date.parse('2026-02-01'),
    visitorMasks: new VisitorMasks(),
  })

const readLines = (...lines: string[][]) => {
  const reader = createReader(columns)
  return lines.map((cells, n) => reader.read({ line: n + 2, cells: columns.map((_, index) => cells[index] ?? '') }))
}

/** Reads one line that has the required columns and the given ones. */
const readWith = ({ page = '/', ...others }: Record<string, string>) =>
  createReader(['time', 'kind', 'visitor', 'page', ...Object.keys(others)]).read({
    line: 2,
    cells: [time, 'view', '1', page, ...Object.values(others)],
  })

describe('a line of an event file', () => {
  it('becomes an event with the day and hour in the time zone of the website', () => {
    const [view, custom, engagement] = readLines(
      [time, 'view', '1', '/x', '', '{"a":"b"}'],
      ['2026-01-05T23:30:00+05:30', 'custom', '1', '/', 'Signup', '', '', 'true'],
      ['2026-01-05T18:31:00z', 'engagement', '', '/', '', '', '1200'],
    )
    const base = { websiteId: 7, visitor: view?.visitor }
    expect(view).toEqual({
      ...base,
      kind: 'view',
      at: Date.parse(time),
      day: '2026-01-05',
      hour: 15,
      page: '/x',
      source: 'Direct',
      props: '{"a":"b"}',
    })
    expect(custom).toMatchObject({ ...base, name: 'Signup', passive: true, day: '2026-01-05', hour: 23 })
    expect(engagement).toMatchObject({ engagedMs: 1200, day: '2026-01-06', hour: 0 })
  })

  it('keeps its day and hour, because the time zone of the website may have changed', () => {
    expect(readLines([time, 'view', '1', '/', '', '', '', '', '2026-01-04', '24'])[0]).toMatchObject({
      day: '2026-01-04',
      hour: 24,
    })
  })

  it.each([
    ['`visitor` must not be empty', [time, 'view', '', '/']],
    ['`visitor` must be a whole number', [time, 'view', '9007199254740992', '/']],
    ['`visitor` must be a whole number', [time, 'view', '-1', '/']],
    ['`time` must be a time such as 2026-01-05T10:00:00.000Z', ['5.1.2026', 'view', '1', '/']],
    ['`time` must be a time such as', ['2026-13-05T10:00:00Z', 'view', '1', '/']],
    ['`time` must not be in the future', ['2026-02-01T00:00:01Z', 'view', '1', '/']],
    ['`time` must not be before 1995', ['1970-01-01T00:00:00Z', 'view', '1', '/']],
    ['`kind` must be one of view, custom, engagement', [time, 'toString', '1', '/']],
    ['`page` must not be empty', [time, 'view', '1', '']],
    ['`page` must begin with / or be a URL', [time, 'view', '1', 'pricing']],
    ['`page` must begin with / or be a URL', [time, 'view', '1', 'javascript:alert(1)']],
    ['`page` must begin with / or be a URL', [time, 'view', '1', 'https://']],
    ['`page` must have at most 2000 bytes', [time, 'view', '1', 'ä'.repeat(1_001)]],
    ['`page` must not contain a null character', [time, 'view', '1', '/\0']],
    ['`event` must be empty unless `kind` is custom', [time, 'view', '1', '/', 'Signup']],
    ['`event` is required if `kind` is custom', [time, 'custom', '1', '/']],
    ['`props` must be a JSON object', [time, 'custom', '1', '/', 'Signup', '[]']],
    ['`props` must be a JSON object', [time, 'custom', '1', '/', 'Signup', '{']],
    ['`engaged_ms` must be a whole number', [time, 'engagement', '1', '/', '', '', '1.5']],
    ['`passive` must be true or empty', [time, 'view', '1', '/', '', '', '', 'no']],
    ['`day` must be a day such as', [time, 'view', '1', '/', '', '', '', '', '2026-02-30', '1']],
    ['`day` does not match `time`', [time, 'view', '1', '/', '', '', '', '', '2026-01-07', '1']],
    ['`hour` is required if `day` is given', [time, 'view', '1', '/', '', '', '', '', '2026-01-05']],
    ['`hour` must be a whole number from 0 to 24', [time, 'view', '1', '/', '', '', '', '', '2026-01-05', '25']],
  ])('is rejected: %s', (message, cells) => {
    expect(() => readLines([time, 'view', '1', '/'], cells)).toThrow(`a.csv, line 3: ${message}`)
  })

  it('is rejected if it is earlier than the line before', () => {
    expect(() => readLines([time, 'view', '1', '/'], ['2026-01-05T09:59:59Z', 'view', '1', '/'])).toThrow(
      'a.csv, line 3: `time` must not be earlier than in the line before. Sort the file by time.',
    )
  })
})

describe('a file that other software wrote', () => {
  it.each([
    ['https://www.google.com/search?q=secret', 'google.com/search', 'Google'],
    ['google.com/search?q=secret#more', 'google.com/search', 'Google'],
    ['www.example.org/a', 'www.example.org/a', 'example.org'],
    ['http://News.Example.org:8080/a/', 'news.example.org/a', 'news.example.org'],
    ['android-app://com.google.android.gm/', 'com.google.android.gm', 'Gmail'],
    ['https://www.example.com/own', undefined, 'Direct'],
    ['ftp://example.org/file', undefined, 'Direct'],
    ['https://', undefined, 'Direct'],
    ['', undefined, 'Direct'],
  ])('has its referrer %j stored as %j, with the source %s', (referrer, storedValue, source) => {
    const event = readWith({ referrer })
    expect([event.referrer, event.source]).toEqual([storedValue, source])
    expect(readWith({ referrer, source: 'Mine' })).toMatchObject({ source: 'Mine' })
    expect(readWith({ referrer, source: '' }).source).toBeUndefined()
  })

  it('has its URLs reduced to the path and query', () => {
    expect(readWith({ page: 'https://example.com/a%20b?c=d#e' }).page).toBe('/a%20b?c=d')
    expect(readWith({ page: 'http://example.com' }).page).toBe('/')
    expect(readWith({ page: '//a/../b?c#d', referrer: 'https://example.org/' })).toMatchObject({
      page: '//a/../b?c#d',
      referrer: 'example.org',
    })
  })

  it.each([
    ['country', 'Germany', 'must be a code such as DE'],
    ['country', 'de', 'must be a code such as DE'],
    ['country', 'D1', 'must be a code such as DE'],
    ['device', 'Desktop', 'must be one of desktop, mobile, tablet, tv, console'],
    ['device', 'toString', 'must be one of'],
  ])('is rejected with the %s %s', (column, text, rule) => {
    expect(() => readWith({ [column]: text })).toThrow(`a.csv, line 2: \`${column}\` ${rule}`)
  })

  it.each([
    ['Www.Example.com', 'www.example.com'],
    ['example.com:8443', 'example.com'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['example.com.', 'example.com'],
    ['[2001:db8::1]', '[2001:db8::1]'],
    ['my%20app', 'my%20app'],
    ["it's{1}", "it's{1}"],
  ])('has its hostname %j stored as %j', (hostname, storedValue) => {
    expect(readWith({ hostname }).hostname).toBe(storedValue)
  })

  it.each(['https://example.com', 'example.com/a', 'a b', 'user@example.com', '.', 'a'.repeat(254)])(
    'is rejected with the hostname %s',
    (hostname) => {
      expect(() => readWith({ hostname })).toThrow('a.csv, line 2: `hostname` must be a host such as www.example.com')
    },
  )

  it('has its hostname taken from the page only if it has no column for it', () => {
    expect(readWith({ page: 'https://WWW.example.com:8443/a' })).toMatchObject({
      hostname: 'www.example.com',
      page: '/a',
    })
    expect(readWith({ page: 'https://www.example.com/', hostname: '' })).not.toHaveProperty('hostname')
    expect(readWith({ page: 'https://www.example.com/', hostname: 'shop.example.com' }).hostname).toBe(
      'shop.example.com',
    )
    expect(readWith({ page: '/a' })).not.toHaveProperty('hostname')
  })

  it('keeps values that the collector would store', () => {
    const values = { country: 'DE', device: 'console', referrer: '2001:db8::1/a%3Fb', source: '2001:db8::1' }
    expect(readWith(values)).toMatchObject(values)
  })
})

describe('the number of an imported visitor', () => {
  const masks = new VisitorMasks()
  const largestNumber = Number.MAX_SAFE_INTEGER

  it('is new, and the same for the same visitor on one day', () => {
    const numbers = [0, 1, 2, 2 ** 32, largestNumber].map((visitor) => masks.apply('2026-01-05', visitor))
    expect(new Set(numbers).size).toBe(5)
    expect(numbers.every((number) => Number.isSafeInteger(number) && number >= 0)).toBe(true)
    expect(masks.apply('2026-01-06', 1)).not.toBe(numbers[1])
    expect(masks.apply('2026-01-05', 1)).toBe(numbers[1])
    expect(new VisitorMasks().apply('2026-01-05', 1)).not.toBe(numbers[1])
  })

  it('is random if the file has none', () => {
    expect(masks.apply('2026-01-05', undefined)).not.toBe(masks.apply('2026-01-05', undefined))
  })
})
