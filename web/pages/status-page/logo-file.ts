/** A logo that the user has chosen but not saved yet. */
import { MAX_LOGO_BYTES } from '../../../src/shared/status-pages.ts'

export interface LogoFile {
  name: string
  /** The image that the form shows. The Content-Security-Policy allows data URLs for images, but no blob URLs. */
  dataUrl: string
  file: File
}

export const LOGO_TYPES = ['image/png', 'image/svg+xml']

/** Why the server would refuse a file of this type or size. */
export function findLogoError({ type, size }: Pick<File, 'type' | 'size'>): string | undefined {
  if (!LOGO_TYPES.includes(type)) return 'Choose a PNG or SVG file.'
  if (size > MAX_LOGO_BYTES)
    return `The file is ${formatKilobytes(size)}. Choose one of at most ${formatKilobytes(MAX_LOGO_BYTES)}.`
  return undefined
}

export const formatKilobytes = (bytes: number) => `${Math.ceil(bytes / 1_000)} kB`

export function readLogoFile(file: File): Promise<LogoFile> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve({ name: file.name, dataUrl: `${reader.result}`, file })
    reader.onerror = () => reject(new Error(`${file.name} couldn't be read.`))
    reader.readAsDataURL(file)
  })
}
