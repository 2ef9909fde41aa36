package extract

import "testing"

func TestLanguage(t *testing.T) {
	rows := []struct{ want, text string }{
		{"en", "Employees may claim travel costs within thirty days after they return from the journey."},
		{"de", "Die Mitarbeiter können ihre Reisekosten innerhalb von dreißig Tagen nach der Rückkehr abrechnen."},
		{"fr", "Les employés peuvent demander le remboursement de leurs frais dans les trente jours suivant leur retour."},
		{"es", "Los empleados pueden solicitar el reembolso de los gastos de viaje dentro de los treinta días siguientes."},
		{"ru", "Сотрудники могут подать заявление на возмещение командировочных расходов в течение тридцати дней."},
		{"zh", "员工可以在返回后三十天内报销差旅费用。"},
		{"zh", "报销"},
		{"zh", "使用 Kubernetes 部署 Docker 容器的完整步骤说明"},
		{"ja", "従業員は帰着後三十日以内に出張旅費を精算できます。"},
		{"ja", "カタカナ"},
		{"ko", "직원은 복귀 후 30일 이내에 출장비를 청구할 수 있습니다."},
		{"th", "พนักงานสามารถเบิกค่าเดินทางได้ภายในสามสิบวัน"},
		{"", "OK"}, {"", ""}, {"", "1234 5678 !!"}, {"", "Hello"}, {"", "kubectl get pods"},
		{"en", "The deployment of the service is described below. First you need access to the cluster; ask your team lead for it. Then run the command and wait for the pods to start. If they do not start, look at the logs."},
		{"de", "Zuerst benötigen Sie Zugriff auf den Cluster. Danach führen Sie den Befehl aus und warten, bis alle Dienste gestartet sind. Wenn das nicht klappt, sehen Sie in die Protokolle."},
		{"fr", "Pour commencer, vous devez avoir accès au cluster. Ensuite, lancez la commande et attendez que tous les services soient démarrés."},
		{"es", "Primero necesita acceso al clúster. Después ejecute el comando y espere hasta que todos los servicios se hayan iniciado."},
		{"ru", "Сначала нужен доступ к кластеру. Затем выполните команду и подождите, пока все службы запустятся."},
		{"ja", "クラスタへのアクセス権が必要です。次にコマンドを実行してください。"},
	}
	for _, row := range rows {
		if got := Language(row.text); got != row.want {
			t.Errorf("%q, want %q: %s", got, row.want, row.text)
		}
	}
}
