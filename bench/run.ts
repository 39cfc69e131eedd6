/** npm run bench -- <name> [options]: runs one benchmark. Every other file in this folder is a benchmark. */
import { readdirSync } from 'node:fs'

const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'run.ts')
  .map((file) => file.slice(0, -3))

const [name = '', ...args] = process.argv.slice(2)
if (!names.includes(name)) {
  console.error(`npm run bench -- <name>, where <name> is one of: ${names.join(', ')}`)
  process.exit(2)
}
const { bench } = (await import(`./${name}.ts`)) as { bench(args: string[]): Promise<boolean> }
process.exitCode = (await bench(args)) ? 0 : 1
