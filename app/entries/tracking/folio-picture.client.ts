import { savePicture } from '#app/ui/sharing/save-picture.client.ts'

const SIDE_PX = 1080

/**
 * Saves a folio as a picture, as `savePicture` does.
 * @throws Error if the browser cannot draw the picture
 */
export const saveFolio = async (folio: string, siteHost: string): Promise<string> =>
  savePicture(await drawFolio(folio, siteHost), `folio-${folio}.png`)

async function drawFolio(folio: string, siteHost: string): Promise<HTMLCanvasElement> {
  const canvas = document.createElement('canvas')
  canvas.width = SIDE_PX
  canvas.height = SIDE_PX
  const context = canvas.getContext('2d')
  if (!context) throw new Error('The browser has no 2D canvas')
  await document.fonts.ready
  context.fillStyle = '#0a0608'
  context.fillRect(0, 0, SIDE_PX, SIDE_PX)
  const glow = context.createRadialGradient(SIDE_PX / 2, 0, 40, SIDE_PX / 2, 0, 900)
  glow.addColorStop(0, 'rgba(255,45,143,0.4)')
  glow.addColorStop(1, 'rgba(255,45,143,0)')
  context.fillStyle = glow
  context.fillRect(0, 0, SIDE_PX, SIDE_PX)
  context.strokeStyle = '#d9b25f'
  context.lineWidth = 3
  context.strokeRect(48, 48, SIDE_PX - 96, SIDE_PX - 96)
  context.fillStyle = '#ffe9b0'
  context.shadowColor = '#ff2d8f'
  context.shadowBlur = 26
  for (const y of [420, 720])
    for (let x = 140; x <= SIDE_PX - 140; x += 50) {
      context.beginPath()
      context.arc(x, y, 8, 0, 2 * Math.PI)
      context.fill()
    }
  context.shadowBlur = 0
  const drawText = (text: string, y: number, font: string, colour: string) => {
    context.font = font
    context.fillStyle = colour
    context.fillText(text, SIDE_PX / 2, y, SIDE_PX - 220)
  }
  context.textAlign = 'center'
  drawText('Registro exitoso', 260, '440 92px Bodoni, serif', '#f7f0e6')
  drawText('Tu folio', 340, '500 42px Instrument, sans-serif', '#efd79c')
  // The folio is sans-serif, since it is copied letter by letter: at this size Bodoni's 1 looks like a bar, its hyphen like a hair.
  drawText(folio, 600, '600 88px Instrument, sans-serif', '#efd79c')
  drawText('Con él ves cómo va tu registro en', 850, '500 40px Instrument, sans-serif', '#c8b9b0')
  drawText(`${siteHost}/folio`, 916, '500 46px Instrument, sans-serif', '#ff6fb2')
  return canvas
}
