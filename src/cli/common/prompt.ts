/** Prompts in a terminal. Questions go to standard error, because standard output may be redirected to a file. */
import { createInterface, type Interface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { Problem } from '../../lib/problem.ts'

export function isInteractive(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true
}

export async function ask(question: string): Promise<string> {
  const [answer = ''] = await askAll([question], process.stderr)
  return answer.trim()
}

/** Asks without echoing the input. */
export function askHidden(questions: string[]): Promise<string[]> {
  return askAll(questions, new Writable({ write: (_chunk, _encoding, done) => done() }))
}

async function askAll(questions: string[], echo: NodeJS.WritableStream): Promise<string[]> {
  const reader = createInterface({ input: process.stdin, output: echo, terminal: true, historySize: 0 })
  // In raw mode Ctrl-C is just a character, so send the signal that it usually causes.
  reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  const inputClosed = new Promise<never>((_, reject) => {
    reader.once('close', () => reject(new Problem('conflict', 'Nothing was entered. Nothing was changed.')))
  })
  inputClosed.catch(() => {})
  try {
    const answers: string[] = []
    for (const question of questions) answers.push(await Promise.race([askOne(reader, question, echo), inputClosed]))
    return answers
  } finally {
    reader.close()
  }
}

async function askOne(reader: Interface, question: string, echo: NodeJS.WritableStream): Promise<string> {
  if (echo === process.stderr) return reader.question(question)
  process.stderr.write(question)
  const input = await reader.question('')
  process.stderr.write('\n')
  return input
}
