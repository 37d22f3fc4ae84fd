/**
 * Saves a drawing on the visitor's device: on a touch screen through the system's share sheet, if it takes files, otherwise as a
 * download. In-app browsers may ignore both, so the caller shows the picture, too.
 * @throws if the drawing cannot be encoded
 * @param name file name, with `.png`
 * @returns a `blob:` URL of the picture, valid until the page is left
 */
export async function savePicture(drawing: HTMLCanvasElement, name: string): Promise<string> {
  const blob = await new Promise<Blob>((resolve, reject) =>
    drawing.toBlob(
      (encodedBlob) => (encodedBlob ? resolve(encodedBlob) : reject(new Error('The drawing could not be encoded'))),
      'image/png',
    ),
  )
  const url = URL.createObjectURL(blob)
  const file = new File([blob], name, { type: blob.type })
  const isTouchScreen = matchMedia('(pointer: coarse)').matches
  if (isTouchScreen && navigator.canShare?.({ files: [file] })) {
    // A visitor who closes the sheet still has the picture on the page.
    await navigator.share({ files: [file] }).catch(() => {})
    return url
  }
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  return url
}
