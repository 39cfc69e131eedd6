// @ts-check
// Runs Belfry in a child process, for Node versions that can't replace themselves with another program.
import { spawn } from 'node:child_process'

const signals = /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP'])
/** Tells the child that it must end if the channel to its parent closes. */
const SUPERVISED = 'SUPERVISED_BY_BELFRY'

/**
 * Starts the program with the same input, output and arguments, and passes signals on. Ends with the program's exit
 * code or signal.
 * @param {string} node
 * @param {string[]} nodeArguments
 */
export function supervise(node, nodeArguments) {
  const child = spawn(node, nodeArguments, {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [SUPERVISED]: '1' },
  })
  // A terminal sends Ctrl-C to both processes, so the child may receive it twice. Every command ignores the second signal.
  for (const signal of signals) process.on(signal, () => child.kill(signal))
  child.on('error', ({ message }) => {
    console.error(
      `Belfry could not start the Node that npm installed: ${message}\nInstall Node 26 (https://nodejs.org).`,
    )
    process.exit(1)
  })
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

/** Ends a supervised process if its parent was killed and could not pass the signal on. */
export function endWithParent() {
  if (process.env[SUPERVISED] === undefined) return
  delete process.env[SUPERVISED]
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'))
  process.channel?.unref()
}
