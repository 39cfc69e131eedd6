/** One spelling for texts that differ in upper and lower case alone. Greek has two small letters for Σ: they are one here. */
export function foldCase(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('ς', 'σ')
}
