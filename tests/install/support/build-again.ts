/** node build-again.ts <root> <version> <output>: builds the Debian package from a staged program, and prints the path of the package. */
import { packRoot, prepareRoot } from '../../../packaging/debian/build.ts'

const [root = '', version = '', output = ''] = process.argv.slice(2)
await prepareRoot(root, { version })
process.stdout.write(await packRoot(root, { output, compression: 'none' }))
