import { describe, expect, it } from 'vitest'
import { seededRandom } from '../traffic/demo/random.ts'
import { parseSettingsFile } from './settings-file.ts'

const listTexts = (fileText: string) => parseSettingsFile(fileText).entries.map(({ name, text }) => [name, text])
const listErrors = (fileText: string) =>
  parseSettingsFile(fileText).errors.map(({ line, message }) => `${line}: ${message}`)

describe('a configuration file', () => {
  it.each([
    // systemd reads these lines in the same way.
    ['A=1', '1'],
    ['  A = 1  ', '1'],
    ['A=', ''],
    ['A=one two', 'one two'],
    ['A=Belfry <b@example.com>', 'Belfry <b@example.com>'],
    ['A=b=c', 'b=c'],
    ['A=#1', '#1'],
    ['A=b#c', 'b#c'],
    ['A=$HOME/`x`', '$HOME/`x`'],
    ['A=b"c\'d', 'b"c\'d'],
    ['A=b\\ c\\\\d\\', 'b c\\d'],
    ['A=\\ b\\ ', ' b '],
    ['A=10.0.0.1,\\\n10.0.0.2', '10.0.0.1,10.0.0.2'],
    ['A=" one # two "', ' one # two '],
    ['A=\'one "two" \\ three\'', 'one "two" \\ three'],
    ['A="a\\"b\\\\c\\$d\\`e\\f"', 'a"b\\c$d`e\\f'],
    ['A="one\\\ntwo"', 'onetwo'],
    ['A=""', ''],
    ['A="1"   ', '1'],
    // Shells read these lines in the same way, but systemd doesn't.
    ['export A=1', '1'],
    ['A=1 # comment', '1'],
    ['A=1\t# comment \\', '1'],
    ['A= # comment', ''],
    ['A="1" # comment', '1'],
    ['A=b\\ #c', 'b #c'],
  ])('with the line %j sets A to %j', (fileText, text) => {
    expect(parseSettingsFile(fileText)).toMatchObject({ entries: [{ name: 'A', text, line: 1 }], errors: [] })
  })

  it('can have comments, empty lines and all line endings', () => {
    const fileText = '# one\r\n; two\r\n\r\nA=1\r\n  # three\\\nB="2"\rC=3\n'
    expect(listTexts(fileText)).toEqual([
      ['A', '1'],
      ['B', '2'],
      ['C', '3'],
    ])
    expect(parseSettingsFile(fileText).entries.map(({ line }) => line)).toEqual([4, 6, 7])
  })

  it('counts the lines of a value that continues', () => {
    expect(parseSettingsFile('A=1\\\n2\\\n3\nB=4').entries).toMatchObject([
      { text: '123', line: 1 },
      { text: '4', line: 4 },
    ])
  })

  it.each([
    ['hush', 'expected NAME=value'],
    ['=hush', 'expected NAME=value'],
    ['my secret=hush', 'expected NAME=value'],
    ['2FA=hush', 'expected NAME=value'],
    ['A="hush', 'the quote is not closed on the same line'],
    ["A='hush\nhush'", 'the quote is not closed on the same line'],
    ['A="hush\\', 'the quote is not closed on the same line'],
    ['A="hush"hush', 'there is text after the closing quote'],
    ["A='hush' hush", 'there is text after the closing quote'],
    ['A=hush\0', 'the value has a control character'],
  ])('with the line %j is refused, and the error does not repeat its value', (line, message) => {
    expect(listErrors(`\nB=1\n${line}`)[0]).toBe(`3: ${message}`)
    expect(listErrors(line).join()).not.toContain('hush')
  })

  it('has its comments marked if they may be part of a value', () => {
    expect(parseSettingsFile('A=b #c\nB=#c\nC="b" #c\nD= #c').entries.map(({ hasComment }) => hasComment)).toEqual([
      true,
      false,
      false,
      false,
    ])
  })

  it('never makes the parser throw, and never appears in its errors', () => {
    const random = seededRandom(20)
    const parts = [
      'A',
      'export ',
      '=',
      '"',
      "'",
      '\\',
      '#',
      ' ',
      '\n',
      '\r',
      '\t',
      '\0',
      'Hush7',
      '$',
      ';',
      '\u{1f514}',
    ]
    for (let round = 0; round < 2_000; round++) {
      const length = Math.floor(random() * 12)
      const fileText = Array.from({ length }, () => parts[Math.floor(random() * parts.length)]).join('')
      const { entries, errors } = parseSettingsFile(fileText)
      const isWrong = JSON.stringify(errors).includes('Hush7') || entries.some(({ text }) => /[\n\r\0]/.test(text))
      if (isWrong) expect.fail(`wrong result for ${JSON.stringify(fileText)}`)
    }
  })
})
