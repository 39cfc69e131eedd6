import { describe, expect, it } from 'vitest'
import { TurnMeter } from '../../../tests/support/turn-meter.ts'
import { cleanSvg } from './svg.ts'

const NAMESPACES = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'

/** Returns the rebuilt file, or the error. */
async function clean(file: string | Buffer): Promise<string> {
  const result = await cleanSvg(Buffer.from(file as string))
  return 'value' in result ? result.value.toString() : `error: ${result.errors.join()}`
}

/** Returns what is left of the content of an svg element. */
async function cleanContent(content: string): Promise<string> {
  const start = '<svg xmlns="http://www.w3.org/2000/svg"><rect/>'
  const result = await clean(`<svg ${NAMESPACES}><rect/>${content}</svg>`)
  return result.startsWith(start) ? result.slice(start.length, -'</svg>'.length) : result
}

it('cleanSvg keeps the shapes, colors, gradients and texts of a logo', async () => {
  const content = [
    '<title>Fish &amp; chips</title>',
    '<defs><linearGradient id="a" x1="0" gradientTransform="rotate(45)"><stop offset="50%" stop-color="#0a7d4f"/></linearGradient>',
    '<clipPath id="b"><use href="#c"/></clipPath></defs>',
    '<style>.cls-1,.cls-2{fill:url(#a);stroke-width:2px}g &gt; path{opacity:.5}</style>',
    '<g class="cls-1" clip-path="url(#b)" transform="translate(1 2) matrix(1,0,0,1,0,0)">',
    '<path id="c" d="M0 0h10v10z" style="fill:rgb(1, 2, 3);mix-blend-mode:multiply"/></g>',
    '<text x="1" font-family="&quot;Open Sans&quot;, sans-serif">Müller <tspan dy="1">日本</tspan></text>',
  ].join('')
  expect(await clean(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10">${content}</svg>`)).toBe(
    `<svg viewBox="0 0 10 10" xmlns="http://www.w3.org/2000/svg">${content}</svg>`,
  )
})

it('cleanSvg removes what editors add', async () => {
  const file = `\ufeff<?xml version="1.0" encoding="utf-8"?>
    <?xml-stylesheet href="https://evil.example/a.css"?>
    <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
    <!-- Generator -->
    <svg:svg xmlns:svg="http://www.w3.org/2000/svg" xmlns:i="http://www.inkscape.org/" i:version="1">
      <i:namedview><svg:path d="M0 0"/></i:namedview><svg:metadata>me@example.com</svg:metadata><svg:circle r="1" i:label="x"/>
    </svg:svg>`
  expect(await clean(file)).toBe('<svg xmlns="http://www.w3.org/2000/svg"><circle r="1"/></svg>')
})

describe('cleanSvg, given hostile content,', () => {
  it.each([
    ['<script>alert(1)</script>', ''],
    ['<script xlink:href="https://evil.example/a.js"/>', ''],
    ['<script><![CDATA[alert(1)]]></script>', ''],
    ['<SCRIPT>alert(1)</SCRIPT>', ''],
    ['<h:script xmlns:h="http://www.w3.org/1999/xhtml">alert(1)</h:script>', ''],
    ['<g onload="alert(1)" onclick="alert(1)"/>', '<g/>'],
    ['<svg onload="alert(1)"><path d="M0 0"/><script/></svg>', '<svg><path d="M0 0"/></svg>'],
    ['<foreignObject><path d="M0 0"/><iframe xmlns="http://www.w3.org/1999/xhtml" src="/"/></foreignObject>', ''],
    ['<image href="https://evil.example/a.png"/><image xlink:href="data:image/svg+xml;base64,AAAA"/>', ''],
    ['<use xlink:href="https://evil.example/a.svg#x"/><use href="data:image/svg+xml,x#x"/>', '<use/><use/>'],
    ['<a href="javascript:alert(1)"><path d="M0 0"/></a>', ''],
    ['<use href="#a"/><use xlink:href="#b"/>', '<use href="#a"/><use href="#b"/>'],
    ['<animate attributeName="href" values="javascript:alert(1)"/><set attributeName="onclick" to="alert(1)"/>', ''],
    ['<path fill="url(https://evil.example/#a)" stroke="url(#b)"/>', '<path stroke="url(#b)"/>'],
    ['<path fill="url(&quot;//evil.example/#a&quot;)" filter="url(#a) url(http://evil.example)"/>', '<path/>'],
    ['<path fill="u\\72l(//evil.example)" mask="image-set(&quot;a.png&quot; 1x)" stroke="var(--a)"/>', '<path/>'],
    [
      '<path style="fill:red;background:url(//evil.example);cursor:url(a.cur);fill:url(//evil.example)"/>',
      '<path style="fill:red"/>',
    ],
    ['<path style="fill:ur/**/l(//evil.example);stroke:expression(alert(1));opacity:1"/>', '<path style="opacity:1"/>'],
    ['<style>@import url("https://evil.example/a.css");.a{fill:red}</style>', '<style>.a{fill:red}</style>'],
    [
      '<style>@font-face{font-family:a;src:url(//evil.example)}@media print{.a{fill:red}}.b{fill:blue}</style>',
      '<style>.b{fill:blue}</style>',
    ],
    ['<style>.a{background-image:url(//evil.example);fill:url(//evil.example)}</style>', '<style/>'],
    [
      '<style>.a{fill:red}/* </style><style> */.b{content:"}";fill:blue}</style>',
      '<style>.a{fill:red}</style><style/>',
    ],
    ['<style><![CDATA[.a{fill:red}</style><script>alert(1)</script>]]></style>', '<style>.a{fill:red}</style>'],
    ['<style>a[href^="x"]{fill:red}.a\\7b{fill:red}</style>', '<style/>'],
    [
      '<title><![CDATA[</title><script>alert(1)</script>]]></title>',
      '<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;</title>',
    ],
    ['<g id="a&quot; onload=&quot;alert(1)" class="b &quot;" transform="&quot;&gt;&lt;script&gt;"/>', '<g/>'],
    ['<g xml:base="https://evil.example/" xlink:actuate="onLoad" data-file="ada.svg" ONLOAD="alert(1)"/>', '<g/>'],
    ['<handler type="text/javascript">alert(1)</handler><listener event="load"/><iframe src="/"/>', ''],
  ])('such as %s keeps only "%s"', async (content, cleanedContent) => {
    expect(await cleanContent(content)).toBe(cleanedContent)
  })
})

const nestGroups = (depth: number) => '<g>'.repeat(depth) + '</g>'.repeat(depth)
const repeatedGroups = Array.from(
  { length: 10 },
  (_, n) => `<g id="l${n + 1}">${`<use href="#l${n}"/>`.repeat(10)}</g>`,
).join('')
const repeatedClasses = Array.from(
  { length: 10 },
  (_, n) => `<pattern id="p${n + 1}">${`<rect class="c${n}"/>`.repeat(10)}</pattern>`,
).join('')
const classRules = Array.from({ length: 10 }, (_, n) => `svg .c${n}{fill:url(#p${n})}`).join('')
const complexityError = 'is too complex: its parts refer to themselves or are repeated too often'

it.each([
  ['a file that is not UTF-8', Buffer.from([0xff, 0xfe, 0x3c]), 'must be an SVG image in UTF-8'],
  ['text', 'hello', 'is not a valid SVG image: line 1:5: text data outside of root node'],
  [
    'an element that is not closed',
    `<svg ${NAMESPACES}><g></svg>`,
    'is not a valid SVG image: line 1:92: unexpected close tag',
  ],
  ['an attribute without quotes', '<svg a=b/>', 'is not a valid SVG image: line 1:8: unquoted attribute value'],
  [
    'a root element other than svg',
    '<html xmlns="http://www.w3.org/2000/svg"><svg/></html>',
    'must begin with an svg element of the namespace http://www.w3.org/2000/svg',
  ],
  [
    'a file without a namespace',
    '<svg><rect/></svg>',
    'must begin with an svg element of the namespace http://www.w3.org/2000/svg',
  ],
  [
    'a file with only a photo',
    `<svg ${NAMESPACES}><image href="data:image/png;base64,AAAA"/></svg>`,
    'has no shapes. If it contains a photo, upload that as PNG',
  ],
  [
    'entities that repeat each other',
    `<!DOCTYPE svg [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]><svg ${NAMESPACES}><text>&b;</text></svg>`,
    'must not declare entities. Save it without a DTD',
  ],
  [
    'an entity of another file',
    `<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]><svg ${NAMESPACES}><text>&x;</text></svg>`,
    'must not declare entities. Save it without a DTD',
  ],
  [
    'an unknown entity',
    `<svg ${NAMESPACES}><text>&x;</text></svg>`,
    'is not a valid SVG image: line 1:92: undefined entity',
  ],
  [
    'elements that are nested too deeply',
    `<svg ${NAMESPACES}><rect/>${nestGroups(60)}</svg>`,
    'must be nested at most 50 levels deep',
  ],
  [
    'nested elements that are never closed',
    `<svg ${NAMESPACES}>${'<g>'.repeat(60_000)}`,
    'must be nested at most 50 levels deep',
  ],
  ['too many elements', `<svg ${NAMESPACES}>${'<g/>'.repeat(5_001)}</svg>`, 'must have at most 5000 elements'],
  [
    'parts that repeat each other',
    `<svg ${NAMESPACES}><g id="l0"/>${repeatedGroups}<use href="#l10"/></svg>`,
    complexityError,
  ],
  [
    'patterns that repeat each other',
    `<svg ${NAMESPACES}><style>${classRules}</style>${repeatedClasses}<rect class="c10"/></svg>`,
    complexityError,
  ],
  ['a part that contains itself', `<svg ${NAMESPACES}><g id="a"><use href="#a"/></g></svg>`, complexityError],
  [
    'a mask that uses itself',
    `<svg ${NAMESPACES}><mask id="a"><rect style="mask:url(#b)"/></mask><mask id="b"><rect mask="url('#a')"/></mask></svg>`,
    complexityError,
  ],
  [
    'a long chain of parts',
    `<svg ${NAMESPACES}>${Array.from({ length: 2_000 }, (_, n) => `<g id="c${n}"><use href="#c${n + 1}"/></g>`).join('')}</svg>`,
    complexityError,
  ],
])('cleanSvg rejects %s', async (_name, file, error) => {
  expect(await clean(file)).toBe(`error: ${error}`)
})

it.each([
  ['rules', `<style>${'.a{fill:red}'.repeat(1_001)}</style>`, 'must have at most 1000 rules in its style sheets'],
  [
    'attributes',
    `<g ${Array.from({ length: 201 }, (_, n) => `a${n}=""`).join(' ')}/>`,
    'must have at most 200 attributes in an element',
  ],
])('cleanSvg rejects a file with too many %s', async (_name, content, error) => {
  expect(await cleanContent(content)).toBe(`error: ${error}`)
})

it.each([
  ['elements', '<use href="#a"/>'.repeat(4_990)],
  [
    'selectors',
    `<style>${Array.from({ length: 45 }, (_, n) => `.c${n}{fill:url(#a)}`).join('')}</style>${'<g class="a b c"/>'.repeat(4_400)}`,
  ],
  ['styles', '<g style="fill:red;fill:red"/>'.repeat(4_990)],
  ['rules', `<style>${'.a{fill:red}'.repeat(16_000)}</style>`],
  ['rules with a few characters', `<style>${'.a{fill:red;fill:red;fill:red}'.repeat(1_000)}</style>`],
  ['attributes', `<g ${Array.from({ length: 20_000 }, (_, n) => `a${n}=""`).join(' ')}/>`],
  ['classes', `<g class="${'a '.repeat(95_000)}"/>`],
])('cleanSvg lets other requests have their turn while it reads many %s', async (_name, content) => {
  const file = Buffer.from(`<svg ${NAMESPACES}><rect/>${content}</svg>`)
  const meter = new TurnMeter()
  const longestTurns: number[] = []
  for (let n = 0; n < 3; n++) {
    meter.take()
    await cleanSvg(file)
    longestTurns.push(meter.take())
  }
  meter.stop()
  expect(Math.min(...longestTurns)).toBeLessThan(30)
})

it.each([
  ['letters in a value', `<path d="${'M'.repeat(190_000)}"/>`],
  ['parentheses', `<path d="${'('.repeat(190_000)}"/>`],
  ['URLs', `<path fill="${'url('.repeat(45_000)}"/>`],
  ['comments', `<style>${'/*'.repeat(90_000)}</style>`],
  ['blocks', `<style>${'{'.repeat(190_000)}</style>`],
  ['selectors', `<style>${'a,'.repeat(90_000)}a{fill:url(#a)}</style>${'<g/>'.repeat(1_000)}`],
  ['references', `<g fill="${'url(#a)'.repeat(25_000)}"/>`],
  ['attributes', `<g ${Array.from({ length: 20_000 }, (_, n) => `a${n}=""`).join(' ')}/>`],
])('cleanSvg takes little time for many %s', async (_name, content) => {
  // Measures processor time, because other processes can make this one wait.
  const before = process.cpuUsage()
  await clean(`<svg ${NAMESPACES}><rect/>${content}</svg>`)
  const { user, system } = process.cpuUsage(before)
  expect(user + system).toBeLessThan(1_000_000)
})
