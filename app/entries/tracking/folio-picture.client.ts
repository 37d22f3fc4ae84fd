const SIDE_PX = 1080

/** Draws a folio as a picture to keep. @param site the site's host @throws Error where the browser has no 2D canvas */
export async function drawFolio(folio: string, site: string): Promise<HTMLCanvasElement> {
  const canvas = document.createElement('canvas')
  canvas.width = SIDE_PX
  canvas.height = SIDE_PX
  const c = canvas.getContext('2d')
  if (!c) throw new Error('No canvas here')
  await document.fonts.ready
  c.fillStyle = '#0a0608'
  c.fillRect(0, 0, SIDE_PX, SIDE_PX)
  const glow = c.createRadialGradient(SIDE_PX / 2, 0, 40, SIDE_PX / 2, 0, 900)
  glow.addColorStop(0, 'rgba(255,45,143,0.4)')
  glow.addColorStop(1, 'rgba(255,45,143,0)')
  c.fillStyle = glow
  c.fillRect(0, 0, SIDE_PX, SIDE_PX)
  c.strokeStyle = '#d9b25f'
  c.lineWidth = 3
  c.strokeRect(48, 48, SIDE_PX - 96, SIDE_PX - 96)
  // A row of bulbs is drawn above and below the folio.
  c.fillStyle = '#ffe9b0'
  c.shadowColor = '#ff2d8f'
  c.shadowBlur = 26
  for (const y of [420, 720])
    for (let x = 140; x <= SIDE_PX - 140; x += 50) {
      c.beginPath()
      c.arc(x, y, 8, 0, 2 * Math.PI)
      c.fill()
    }
  c.shadowBlur = 0
  const say = (text: string, y: number, font: string, colour: string) => {
    c.font = font
    c.fillStyle = colour
    c.fillText(text, SIDE_PX / 2, y, SIDE_PX - 220)
  }
  c.textAlign = 'center'
  say('Registro exitoso', 260, '440 92px Bodoni, serif', '#f7f0e6')
  say('Tu folio', 340, '500 42px Instrument, sans-serif', '#efd79c')
  // The folio is sans-serif, to be copied letter by letter: at this size Bodoni's 1 looks like a bar, its hyphen like a hair.
  say(folio, 600, '600 88px Instrument, sans-serif', '#efd79c')
  say('Con él ves cómo va tu registro en', 850, '500 40px Instrument, sans-serif', '#c8b9b0')
  say(`${site}/folio`, 916, '500 46px Instrument, sans-serif', '#ff6fb2')
  return canvas
}
