/**
 * npm run package -- image: builds the container image for the architecture of this machine with Buildah, and saves it as an archive
 * that `docker load` and `podman load` read. The image stays in Buildah's storage as localhost/belfry:<version>.
 */
import { spawnSync } from 'node:child_process'
import { createReadStream, createWriteStream } from 'node:fs'
import { cp, mkdir, readFile, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { findDebianArchitecture } from '../debian/control.ts'
import { execute } from '../execute.ts'
import type { PackageOptions } from '../package-options.ts'
import { withTemporaryFolder } from '../temporary-folder.ts'
import { stageImageProgram } from './stage.ts'

const projectFolder = resolve(import.meta.dirname, '../..')
/** Higher levels take twice as long and save 2 %. */
const GZIP_LEVEL = 4

export async function build({ output, program }: PackageOptions): Promise<string[]> {
  if (spawnSync('buildah', ['--version']).status !== 0) {
    throw new Error(
      'Install Buildah (Debian package buildah). docs/containers.md says how to build the image with Docker instead.',
    )
  }
  const { version } = JSON.parse(await readFile(join(projectFolder, 'package.json'), 'utf8'))
  const architecture = findDebianArchitecture(process.arch)
  return withTemporaryFolder('belfry-image-', async (context) => {
    // Staging outside the container can use npm's cache, and the pages and the server that are already built.
    await stageImageProgram(join(context, 'program'), program)
    await cp(import.meta.dirname, join(context, 'packaging/container'), { recursive: true })
    const tag = `localhost/belfry:${version}`
    buildImage(context, tag, version)
    await mkdir(output, { recursive: true })
    return [await saveImage(tag, join(output, `belfry_${version}_${architecture}.image.tar.gz`))]
  })
}

function buildImage(context: string, tag: string, version: string): void {
  const file = join(context, 'packaging/container/Containerfile')
  // The image has Docker's format, because the OCI format has no health checks.
  const options = ['--format', 'docker', '--target', 'packaged', '--build-arg', `VERSION=${version}`]
  execute('buildah', ['build', ...options, '--tag', tag, '--file', file, context], context)
}

/** Returns the path of the archive. */
function saveImage(tag: string, path: string): Promise<string> {
  return withTemporaryFolder('belfry-image-', async (folder) => {
    const archive = join(folder, 'image.tar')
    const name = tag.replace('localhost/', '')
    execute('buildah', ['push', '--quiet', tag, `docker-archive:${archive}:${name}`], folder)
    await pipeline(createReadStream(archive), createGzip({ level: GZIP_LEVEL }), createWriteStream(path))
    const [size, compressedSize] = await Promise.all([measure(archive), measure(path)])
    process.stdout.write(`The size of the image ${tag} is ${size} MB, and ${compressedSize} MB compressed.\n`)
    return path
  })
}

const measure = async (path: string) => Math.round((await stat(path)).size / 1e6)
