import { describe, expect, it } from 'vitest'
import { readHtml } from './html-elements.ts'

const read = (html: string) =>
  readHtml(html).elements.map(({ name, attributes, text }) => [name, Object.fromEntries(attributes), text])

describe('the elements of an HTML page', () => {
  it.each([
    ['<P>Hi</P>', [['p', {}, '']]],
    [
      '<a HREF = "/x?a=1&amp;b=2" title=\'a > b\' hidden>',
      [['a', { href: '/x?a=1&b=2', title: 'a > b', hidden: '' }, '']],
    ],
    ['<script src=/b.js defer></script>', [['script', { src: '/b.js', defer: '' }, '']]],
    ['<meta a=1 a=2/>', [['meta', { a: '1' }, '']]],
    [
      '<script>if (a < b) "<p>"</SCRIPT><br/>',
      [
        ['script', {}, 'if (a < b) "<p>"'],
        ['br', {}, ''],
      ],
    ],
    [
      '<noscript><img></noscript><template><script src="x"></script></template>',
      [
        ['noscript', {}, '<img>'],
        ['template', {}, '<script src="x"></script>'],
      ],
    ],
    ['a < b <3 <!doctype html><i>', [['i', {}, '']]],
    ['<b x="', []],
  ])('are read from %s', (html, expected) => {
    expect(read(html)).toEqual(expected)
  })

  it('are not in comments', () => {
    expect(readHtml('<!-- <p> --><b><!-- <i>')).toMatchObject({
      elements: [{ name: 'b' }],
      comments: [' <p> ', ' <i>'],
    })
  })

  it('are read quickly, even in a page that is made to slow the reader', () => {
    const cpuUsageBefore = process.threadCpuUsage()
    for (const part of [
      '<!--',
      '<a ',
      '<a',
      '<a b="',
      "<a b='",
      '<a x= ',
      '<script>',
      '< ',
      '<a   ',
      '<a =',
      '&amp',
      '<a b="&amp;" ',
    ]) {
      readHtml(part.repeat(200_000 / part.length))
    }
    expect(process.threadCpuUsage(cpuUsageBefore).user).toBeLessThan(1_000_000)
  })
})
