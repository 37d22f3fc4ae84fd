/**
 * Hands a drawing to the visitor: by the system's sheet where it takes files (on a phone that is where «Save» stands),
 * else as a download. Windows inside other apps may ignore both, so the caller shows the picture, too.
 * @param name of the file, with `.png`
 * @returns a `blob:` address of the picture, which holds until the page goes away
 */
export async function keepPicture(drawing: HTMLCanvasElement, name: string): Promise<string> {
  const blob = await new Promise<Blob>((resolve, reject) =>
    drawing.toBlob(
      (made) => (made ? resolve(made) : reject(new Error('The drawing could not be encoded'))),
      'image/png',
    ),
  )
  const url = URL.createObjectURL(blob)
  const file = new File([blob], name, { type: blob.type })
  const isPhone = matchMedia('(pointer: coarse)').matches
  if (isPhone && navigator.canShare?.({ files: [file] })) {
    // Whoever closes the sheet has the picture on the page still.
    await navigator.share({ files: [file] }).catch(() => {})
    return url
  }
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  return url
}
