/** Recognizes file names that look like domains. The statistics page of a website is at `/<domain>`, where clients also look for files. */
import { parse } from 'tldts'

/** Extensions of files that browsers, crawlers and scanners request at the root of a server. */
const fileExtensions: ReadonlySet<string> = new Set(
  [
    'asp aspx atom bak cfg cgi cjs conf config css csv dll doc docx env exe gz htm html ini js json jsp log mjs',
    'pdf php rar rdf rss shtml sql tar tgz txt wasm webmanifest xhtml xml xsl yaml yml',
    'avif bmp eot gif ico jpeg jpg mp3 mp4 ogg otf png svg svgz swf tif tiff ttf wav webm webp woff woff2',
  ].flatMap((line) => line.split(' ')),
)

/**
 * Returns the extension of a file name such as `robots.txt`, but not of `example.zip`, because zip is a top-level domain. If one of
 * our extensions becomes a top-level domain, it counts as such as soon as the list of public suffixes contains it.
 */
export function findFileExtension(domain: string): string | undefined {
  const extension = domain.slice(domain.lastIndexOf('.') + 1)
  if (!domain.includes('.') || !fileExtensions.has(extension)) return undefined
  const isTopLevelDomain = parse(domain, { allowPrivateDomains: false, extractHostname: false }).isIcann === true
  return isTopLevelDomain ? undefined : extension
}
