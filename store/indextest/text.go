package indextest

import (
	"testing"

	"github.com/footnote-bot/footnote/core"
)

// testText checks that a query finds the one document that holds its word in
// another form.
func testText(t *testing.T, x core.Index) {
	docs := []struct{ language, text string }{
		1:  {"en", "Employees are reimbursed for journeys by train."},
		2:  {"de", "Die Anträge auf Urlaub werden in der Personalabteilung bearbeitet."},
		3:  {"fr", "Les remboursements sont effectués l'après-midi."},
		4:  {"ru", "Сотрудники получают новые ноутбуки в первый день."},
		5:  {"zh", "新员工入职第一天领取笔记本电脑。"},
		6:  {"ja", "経費精算は月末までに申請してください。"},
		7:  {"th", "พนักงานลาพักร้อนได้สิบวัน"},
		8:  {"en", "Call getUserById with retry_max_count set; see setup-guide.md and OPS-4711."},
		9:  {"", "The résumé of a candidate is kept for six months."},
		10: {"en", "The server answers with ERR_CONN_RESET after 30 seconds."},
		11: {"ko", "신입사원은 첫날 출입증을 받습니다."},
		12: {"fr", "Wrongly labelled: the parking garage closes at ten."},
		13: {"en", "Send an e-mail to the front desk."},
	}
	for i, d := range docs {
		if d.text == "" {
			continue
		}
		doc := Document("s/"+d.text[:2]+string(rune('a'+i)), core.PassageID(i), d.text)
		doc.Language = d.language
		put(t, x, doc)
	}
	for _, row := range []struct {
		query string
		want  core.PassageID
	}{
		{"reimbursement journey", 1},
		{"Antrag", 2},
		{"remboursement", 3},
		{"новый ноутбук", 4},
		{"笔记本", 5},
		{"経費の精算", 6},
		{"ลาพักร้อน", 7},
		{"getUserById", 8},
		{"user by id", 8},
		{"retry_max_count", 8},
		{"retry count", 8},
		{"OPS-4711", 8},
		{"setup-guide.md", 8},
		{"resume", 9},
		{"err_conn_reset", 10},
		{"출입증", 11},
		{"parking garages", 12},
		{"email", 13},
		{"ＥＭＡＩＬ", 13},
	} {
		t.Run(row.query, func(t *testing.T) {
			hits := search(t, x, row.query, core.Filter{})
			if len(hits) == 0 || hits[0].Passage != row.want {
				t.Errorf("hits = %+v, want passage %d first", hits, row.want)
			}
		})
	}
}
