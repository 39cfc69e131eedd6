import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { createBeatSnippets } from './snippets.ts'

const url = 'https://belfry.example.com/beat/abc_DEF-123'
const snippets = new Map(createBeatSnippets(url, '0 4 * * 1').map(({ name, text }) => [name, text]))

it('the shell snippets have no syntax errors', () => {
  for (const name of ['curl', 'Shell']) execFileSync('sh', ['-n', '-c', snippets.get(name) ?? ''])
  const [, command = ''] = /-c '(.*)'$/.exec(snippets.get('systemd') ?? '') ?? []
  // systemd replaces $$ with $ before it starts the shell.
  execFileSync('sh', ['-n', '-c', command.replaceAll('$$', '$')])
  expect(command).toContain('$$SERVICE_RESULT')
})

it('the crontab snippet has the schedule, and the exit code at the end of the URL', () => {
  expect(snippets.get('crontab')).toMatch(/^0 4 \* \* 1 .*\/beat\/abc_DEF-123\/\$\?$/)
  // A percent sign ends the command in a crontab.
  expect(snippets.get('crontab')).not.toContain('%')
})

it('the snippet for a GitHub workflow does not contain the URL, because others can read the workflow', () => {
  expect(snippets.get('GitHub Actions')).not.toContain(url)
})
