package adminpages

import (
	"math"
	"strconv"
)

// A plot is drawn in these units; the browser scales it to the page.
const (
	plotWidth  = 720.0
	plotHeight = 160.0
	plotLeft   = 44.0 // room for the numbers of the axis
	plotFoot   = 20.0 // room for the first and the last day
)

// plot is what a template draws. The numbers are in a table beside it, too.
type plot struct {
	Bars        []bar
	Dots        []dot
	Path        string // of a line, as "x,y x,y …"
	Marks       []mark
	First, Last string
}

type bar struct {
	X, Y, W, H float64
	Y2, H2     float64 // the part of it that is marked
	Label      string
}

type dot struct {
	X, Y  float64
	Label string
}

type mark struct {
	Y     float64
	Label string
}

// bars draws the questions of each day, with those marked that found nothing or
// failed.
func bars(days []UsageDay) plot {
	p := plot{}
	most := 1
	for _, d := range days {
		most = max(most, d.Questions)
	}
	top := roundUp(float64(most))
	p.scale(days, top, func(v float64) string { return number(int(v)) })
	step := (plotWidth - plotLeft) / float64(max(len(days), 1))
	for i, d := range days {
		bad := min(d.Gaps+d.Failed, d.Questions)
		h, h2 := height(float64(d.Questions), top), height(float64(bad), top)
		p.Bars = append(p.Bars, bar{
			X: round(plotLeft + float64(i)*step + step*0.1), W: round(step * 0.8),
			Y: round(plotHeight - plotFoot - h), H: round(h), Y2: round(plotHeight - plotFoot - h2), H2: round(h2),
			Label: d.Day + ": " + plural(d.Questions, "question") + ", " + number(bad) + " without an answer",
		})
	}
	return p
}

// line draws the cost of each day.
func line(days []UsageDay) plot {
	p := plot{}
	most := 0.0
	for _, d := range days {
		most = math.Max(most, d.Cost)
	}
	top := roundUp(most)
	p.scale(days, top, money)
	step := (plotWidth - plotLeft) / float64(max(len(days), 1))
	for i, d := range days {
		x, y := round(plotLeft+(float64(i)+0.5)*step), round(plotHeight-plotFoot-height(d.Cost, top))
		p.Dots = append(p.Dots, dot{x, y, d.Day + ": " + money(d.Cost)})
		if i > 0 {
			p.Path += " "
		}
		p.Path += trim(x) + "," + trim(y)
	}
	return p
}

func (p *plot) scale(days []UsageDay, top float64, label func(float64) string) {
	for _, share := range []float64{0, 0.5, 1} {
		p.Marks = append(p.Marks, mark{round(plotHeight - plotFoot - height(top*share, top)), label(top * share)})
	}
	if len(days) > 0 {
		p.First, p.Last = days[0].Day, days[len(days)-1].Day
	}
}

// height is how high a value stands; a little room is left above the highest.
func height(v, top float64) float64 { return v / top * (plotHeight - plotFoot - 12) }

// roundUp is the next number of the kind 1, 2, 4, 6, 10 times a power of ten.
func roundUp(v float64) float64 {
	if v <= 0 {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(v)))
	for _, step := range []float64{1, 2, 4, 6, 10} {
		if v <= step*unit*(1+1e-9) {
			return step * unit
		}
	}
	return 10 * unit
}

func round(v float64) float64 { return math.Round(v*10) / 10 }

func trim(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
