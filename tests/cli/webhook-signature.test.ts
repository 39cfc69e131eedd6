/** The examples of docs/channels.md accept the requests that a webhook gets, and reject everything else. */
import { spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { MessageSender } from '../../src/channels/message-sender.ts'
import { readConfig } from '../../src/config/config.ts'
import { TestClock } from '../support/clock.ts'
import { startHttpReceiver } from '../support/http-receiver.ts'
import { createSampleMessages } from '../support/sample-messages.ts'

const secret = 'k3v8qw2mDf6hT9'
const clock = new TestClock()
const unixTime = clock.now().getTime() / 1000
const hasProgram = (name: string) => spawnSync(name, ['--version']).status === 0

let folder: string
let cases: { header: string; body: string; now: number; isValid: boolean }[]

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'belfry-signature-'))
  const receiver = await startHttpReceiver()
  const sender = new MessageSender(readConfig({ BELFRY_PRIVATE_TARGETS: '127.0.0.1' }), clock)
  const settings = { url: receiver.address, secret, headers: null }
  await sender.deliver({ type: 'webhook', settings }, createSampleMessages({ friendlyName: 'Büro 🎈' }).down)
  await sender.stop()
  await receiver.close()
  const { headers, body } = receiver.received[0] ?? { headers: {}, body: '' }
  const header = String((headers as Record<string, unknown>)['x-belfry-signature'])
  cases = [
    { header, body, now: unixTime, isValid: true },
    { header, body, now: unixTime + 299, isValid: true },
    { header, body, now: unixTime + 301, isValid: false },
    { header, body: `${body} `, now: unixTime, isValid: false },
    { header: header.replace(/t=\d+/, `t=${unixTime + 1}`), body, now: unixTime, isValid: false },
    { header: header.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')), body, now: unixTime, isValid: false },
    { header: '', body, now: unixTime, isValid: false },
  ]
  await writeFile(join(folder, 'cases.json'), JSON.stringify(cases))
})
afterAll(() => rm(folder, { recursive: true }))

async function readExample(language: string): Promise<string> {
  const text = await readFile(resolve(import.meta.dirname, '../../docs/channels.md'), 'utf8')
  return new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(text)?.[1] ?? ''
}

function runExample(program: string, file: string): boolean[] {
  const { stdout, stderr } = spawnSync(program, [join(folder, file)], { cwd: folder, encoding: 'utf8' })
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

const expected = () => cases.map(({ isValid }) => isValid)

it('the documented example for Node accepts valid signatures and rejects invalid ones', async () => {
  const file = join(folder, 'verify.mjs')
  await writeFile(file, await readExample('js'))
  const { verify } = await import(file)
  expect(cases.map(({ header, body, now }) => verify(secret, header, Buffer.from(body), now * 1000))).toEqual(
    expected(),
  )
})

it.skipIf(!hasProgram('python3'))(
  'the documented example for Python accepts valid signatures and rejects invalid ones',
  async () => {
    const main = `
import json
cases = json.load(open("cases.json", encoding="utf-8"))
print(json.dumps([verify("${secret}", c["header"], c["body"].encode(), c["now"]) for c in cases]))
`
    await writeFile(join(folder, 'verify.py'), `${await readExample('python')}${main}`)
    expect(runExample('python3', 'verify.py')).toEqual(expected())
  },
)

it.skipIf(!hasProgram('php'))(
  'the documented example for PHP accepts valid signatures and rejects invalid ones',
  async () => {
    const main = `
$cases = json_decode(file_get_contents('cases.json'), true);
echo json_encode(array_map(fn($c) => verify('${secret}', $c['header'], $c['body'], $c['now']), $cases));
`
    await writeFile(join(folder, 'verify.php'), `<?php\n${await readExample('php')}${main}`)
    expect(runExample('php', 'verify.php')).toEqual(expected())
  },
)
