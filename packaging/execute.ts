import { spawnSync } from 'node:child_process'

/** Runs a program and returns its output. If the program fails, throws an error with everything that it printed. */
export function execute(program: string, args: string[], cwd: string, env: Record<string, string> = {}): string {
  const { status, error, stdout, stderr } = spawnSync(program, args, {
    cwd,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  if (status === 0) return stdout
  throw new Error(`${program} ${args.join(' ')} failed: ${error?.message ?? ''}\n${stdout}${stderr}`)
}
